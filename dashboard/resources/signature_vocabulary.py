"""The words by which signatures.py tells names, businesses, addresses and tax numbers apart."""

# ruff: noqa: E501, RUF001  (lists of words, in many scripts)

import re


def _any(words: str) -> str:
    return "|".join(re.escape(word) for word in words.split(";"))


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FAX = re.compile(
    r"\b(?:fax|telefax|faks|факс|f)\b\s*[:.]|\b(?:fax|telefax|faks)\b|факс|传真|傳真|ファックス|팩스|فاكس",
    re.I,
)
# Labels that say nothing once their value is understood.
LABELS = _words(
    "e email e-mail mail mailto courriel correo correio posta t tel tel. tele telefon "
    "telefono téléfono teléfono telefone téléphone telephone phone p m mob mob. mobil mobile "
    "mobiltelefon móvil movil cell cellulare cel celular gsm handy d direct direkt office o "
    "fon ph ph. c w work dial portable fixe tlf puh тел моб тел. моб. телефон почта эл τηλ "
    "κιν email: τηλ. κιν. 電話 携帯 电话 手机 邮箱 電郵 メール 이메일 전화 휴대폰 هاتف جوال بريد الهاتف الجوال "
    "البريد טלפון נייד דואל फोन मोबाइल ईमेल โทร อีเมล tél tél. điện thoại"
)
TAX = re.compile(
    r"(?P<label>(?<!\w)(?:"
    + _any(
        "USt-IdNr.;USt-IdNr;USt-ID;USt.-IdNr.;UStID;Steuernummer;St.-Nr.;St-Nr.;MwSt-Nr.;VAT ID;VAT No.;VAT no;VAT number;"
        "VAT Reg No;VAT;TVA intracommunautaire;N° TVA;TVA;P. IVA;P.IVA;Partita IVA;P.I.;NIF;CIF;NIPC;ABN;GSTIN;GST;TIN;Tax ID;Tax No.;"
        "EIN;NIP;ИНН;ΑΦΜ;BTW;Momsnr.;Moms;CNPJ;RFC;CVR;Org.nr.;Org.nr;Org. nr.;UID;DIČ;VKN;Vergi No;统一社会信用代码;税号;"
        "統一編號;사업자등록번호;登録番号;ח.פ.;ע.מ.;الرقم الضريبي;Y-tunnus;adószám;Adószám;MST"
    )
    + r")(?!\w))\s*(?:no\.?|nr\.?|number|id)?\s*[:#.：]?\s*"
    r"(?P<value>[A-Z]{0,4}[ -]?[0-9][0-9A-Z .\-/]*[0-9A-Z])",
    re.I,
)
REGISTERS = re.compile(
    r"(?<!\w)(?:HRB|HRA|IBAN|BIC|SWIFT|SIRET|SIREN|RCS|KRS|REGON|ОГРН|КПП|Company (?:No|number|Reg)|Reg(?:istered)? No|KvK|"
    r"Registernr|ICO|IČO|Amtsgericht|Handelsregister|Kontonr|Sort code|Account)(?!\w)",
    re.I,
)
BUSINESS = re.compile(
    r"(?<!\w)(?:"
    + _any(
        "GmbH;gGmbH;AG;KG;OHG;GbR;e.K.;e.V.;UG;SE;Ltd;Ltd.;Limited;LLC;LLP;PLC;plc;Inc;Inc.;Corp;Corp.;Corporation;Co.;Company;"
        "Pty;Pvt;S.A.;SA;SAS;SARL;S.A.R.L.;EURL;S.p.A.;SpA;S.r.l.;Srl;S.L.;SL;S.L.U.;BV;B.V.;NV;N.V.;VOF;Oy;Oyj;AB;AS;A/S;ApS;"
        "Kft.;Kft;Zrt.;s.r.o.;a.s.;Sp. z o.o.;d.o.o.;ООО;ЗАО;ПАО;АО;ИП;ТОВ;A.Ş.;Ltd. Şti.;Lda;Lda.;Ltda;Ltda.;S.A. de C.V.;"
        'Α.Ε.;Ε.Π.Ε.;Ι.Κ.Ε.;בע"מ;Group;Holding;Holdings;Associates;Partners;Consulting;University;Universität;Université;'
        "Institute;Foundation;& Co;& Sons;& Söhne;Studio;Agency;Bank;Bakery;Clinic;Verlag;Kanzlei;Praxis"
    )
    + r")(?!\w)|株式会社|有限会社|合同会社|有限公司|集团|股份|주식회사|\(주\)|㈜|شركة|مؤسسة|חברת|कंपनी|प्रा\. लि\.|लिमिटेड|บริษัท|công ty",
    re.I,
)
STREET = re.compile(
    r"(?<!\w)(?:street|st\.|road|rd\.?|avenue|ave\.?|lane|drive|blvd\.?|boulevard|square|court|way|close|terrace|highway|hwy|"
    r"suite|floor|unit|building|box|postfach|rue|allée|cours|impasse|quai|via|viale|piazza|corso|calle|c/|avda\.?|avenida|paseo|plaza|"
    r"praça|rua|travessa|ul\.|ulica|al\.|ул\.|улица|пр\.|просп\.|проспект|пер\.|г\.|д\.|оф\.|οδός|λεωφ\.|λεωφόρος|utca|út|cad\.|caddesi|sok\.|"
    r"sokak|mah\.|plot|sector|marg|nagar|jalan|jl\.|đường|quận|phường|شارع|طريق|ص\.ب|רחוב|שדרות|मार्ग|रोड|नगर|ถนน|แขวง|เขต)(?!\w)"
    r"|(?:straße|strasse|str\.|gasse|platz|weg|allee|damm|ufer|ring|straat|laan|plein|kade|gracht|gatan|vägen|vej|gade|vei|gata|veien|katu|tie)\s*\d"
    r"|〒|[都道府県市区町村]\S*\d|[省市区路街]\S*\d+号|\d+号|[路街]\S*\d|[시구동로길]\s?\d|(?:로|길)\s?\d",
    re.I,
)
POSTCODE = re.compile(
    r"^(?:[A-Z]{1,2}-)?\d{4,6}(?:\s?[A-Z]{2})?,?\s+[^\W\d]|^\d{3} ?\d{2}\s+[^\W\d]|^\d{2}-\d{3}\s+[^\W\d]|^\d{4}-\d{3}\s+[^\W\d]|"
    r"(?<!\w)[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}(?!\w)|,\s*[A-Z]{2,3},? \d{4,5}(?:-\d{4})?(?!\w)|"
    r"[^\W\d],?\s+[A-Z]{2,3} \d{4,5}(?!\w)|[^\W\d][,\s-]+\d{5,6}$|(?<!\w)[A-Z]\d[A-Z] ?\d[A-Z]\d(?!\w)"
)
COUNTRIES = _words(
    "germany deutschland austria österreich switzerland schweiz suisse svizzera france italy "
    "italia spain españa portugal brasil brazil poland polska netherlands nederland belgium "
    "belgique belgië denmark danmark sweden sverige norway norge finland suomi greece ελλάδα "
    "russia россия ukraine україна turkey türkiye israel ישראל japan 日本 china 中国 taiwan 台灣 "
    "korea 대한민국 india भारत australia canada mexico méxico usa uk ireland hungary magyarország "
    "czechia česko egypt مصر uae thailand vietnam singapore luxembourg argentina chile"
) | {
    "united kingdom",
    "united states",
    "hong kong",
    "saudi arabia",
    "new zealand",
    "south africa",
    "việt nam",
}
GREETING = re.compile(
    r"^\W*(?:(?:(?:kind|best|warm|many)\s+)?(?:regards|choices|thanks|thank you)|yours|sincerely|cheers|sent from|all the best|mit freundlichen|"
    r"freundliche|viele grüße|beste grüße|liebe grüße|herzliche|i\.\s?a\.$|cordialement|bien à vous|bien cordialement|salutations|cordiali saluti|"
    r"distinti saluti|saluti|saludos|un saludo|atentamente|atenciosamente|cumprimentos|met vriendelijke|groeten|hälsningar|med vänlig|"
    r"med venlig|vennlig|ystävällisin|z poważaniem|pozdrawiam|s pozdravem|üdvözlettel|с уважением|з повагою|με εκτίμηση|saygılarımla|"
    r"よろしく|敬具|此致|祝好|敬上|감사합니다|مع التحية|مع أطيب|בברכה|सादर|ขอแสดง|trân trọng|--)",
    re.I,
)
ROLE = re.compile(
    r"(?<!\w)(?:manager|director|head|chief|officer|ceo|cto|cfo|coo|president|vice|founder|co-founder|owner|partner|consultant|engineer|"
    r"developer|designer|architect|analyst|assistant|sales|marketing|support|service|team|department|accountant|attorney|lawyer|"
    r"coordinator|specialist|executive|buyer|editor|professor|lead|representative|secretary|nurse|geschäftsführer(?:in)?|leiter(?:in)?|"
    r"leitung|vertrieb|einkauf|inhaber(?:in)?|abteilung|berater(?:in)?|prokurist(?:in)?|rechtsanwalt|rechtsanwältin|steuerberater(?:in)?|"
    r"directeur|directrice|responsable|gérante?|chef|conseill\w+|direttore|direttrice|titolare|amministrat\w+|director\w*|gerente|"
    r"jefe|jefa|socio|socia|diretor\w*|verkoop|inkoop|directie|kierownik|dyrektor|prezes|specjalista|директор|менеджер|начальник|"
    r"руководитель|бухгалтер|διευθυντ\w+|υπεύθυν\w+|müdür\w*|uzman\w*|jednatel\w*|ügyvezető|igazgató|johtaja|chefs?|säljare|direktør|"
    r"daglig leder|giám đốc|trưởng phòng)(?!\w)|部長|課長|取締役|社長|営業|担当|经理|總監|总监|主任|董事|工程师|대표|이사|팀장|과장|부장|مدير|رئيس|"
    r"מנהל|מנכ|סמנכ|प्रबंधक|निदेशक|ผู้จัดการ|กรรมการ",
    re.I,
)
