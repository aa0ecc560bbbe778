"""Certificates of servers that tests start."""

from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat


def certificate_of(host: str, folder: Path, ends: datetime | None = None) -> Path:
    """A file with the key and the certificate of a host or an address, which signs itself."""
    key, end = (
        ec.generate_private_key(ec.SECP256R1()),
        ends or datetime.now(UTC) + timedelta(days=2),
    )
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, host)])
    own = x509.IPAddress(ip_address(host)) if host[0].isdigit() else x509.DNSName(host)
    signed = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(end - timedelta(days=90))
        .not_valid_after(end)
        .add_extension(x509.SubjectAlternativeName([own]), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    path = folder / f"{host}.pem"
    path.write_bytes(private + signed.public_bytes(Encoding.PEM))
    return path
