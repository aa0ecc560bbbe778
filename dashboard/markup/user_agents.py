"""Names browsers and systems for people, from the User-Agent header."""

BROWSERS = {
    "Edg": "Edge",
    "OPR/": "Opera",
    "Firefox/": "Firefox",
    "FxiOS/": "Firefox",
    "Chrome/": "Chrome",
    "CriOS/": "Chrome",
    "Safari/": "Safari",
}
"""What names a browser in the header; several name themselves Chrome or Safari as well."""
SYSTEMS = {
    "Windows": "Windows",
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Android": "Android",
    "CrOS": "ChromeOS",
    "Macintosh": "Mac",
    "Linux": "Linux",
}


def browser_in_words(user_agent: str) -> str:
    """The browser and the system, such as "Firefox on Windows"; "Unknown browser" for neither."""
    browser = next((name for mark, name in BROWSERS.items() if mark in user_agent), "")
    system = next((name for mark, name in SYSTEMS.items() if mark in user_agent), "")
    return f"{browser or 'Unknown browser'} on {system}" if system else browser or "Unknown browser"
