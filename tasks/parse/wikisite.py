"""What a wiki calls itself and its pages: dbname, page addresses, namespaces, titles, redirects. Pure functions."""

from __future__ import annotations

import re
from urllib.parse import quote, urlsplit

_SUFFIX = {
    "wikipedia": "wiki", "wiktionary": "wiktionary", "wikibooks": "wikibooks", "wikiquote": "wikiquote",
    "wikisource": "wikisource", "wikinews": "wikinews", "wikiversity": "wikiversity", "wikivoyage": "wikivoyage",
}
_NAMED_HOST = {"be-tarask": "be_x_old", "gsw": "als", "rup": "roa_rup", "sgs": "bat_smg", "vro": "fiu_vro"}

# Namespace names of a wiki without <siteinfo>; English is understood by every wiki.
ENGLISH_NAMESPACES = {
    "media": -2, "special": -1, "talk": 1, "user": 2, "user talk": 3, "wikipedia": 4, "project": 4, "wikipedia talk": 5,
    "project talk": 5, "file": 6, "image": 6, "file talk": 7, "image talk": 7, "mediawiki": 8, "mediawiki talk": 9,
    "template": 10, "template talk": 11, "help": 12, "help talk": 13, "category": 14, "category talk": 15, "portal": 100,
    "portal talk": 101, "draft": 118, "draft talk": 119, "module": 828, "module talk": 829,
}

# First words of links to files and categories, in the languages of the larger wikis.
FILE_PREFIXES = frozenset(
    ["file", "image", "media", "fichier", "datei", "bild", "archivo", "imagen", "immagine", "bestand", "afbeelding", "ficheiro", "imagem", "plik", "grafika", "fil", "файл", "изображение", "зображення", "soubor", "súbor", "kép", "fájl", "tiedosto", "kuva", "dosya", "resim", "tập_tin", "ファイル", "画像", "文件", "檔案", "图像", "파일", "그림", "قالب", "ملف", "پرونده", "תמונה", "קובץ", "चित्र"]
)
CATEGORY_PREFIXES = frozenset(
    ["category", "catégorie", "kategorie", "categoría", "categoria", "categorie", "kategoria", "kategori", "категория", "категорія", "kategória", "luokka", "kategorija", "thể_loại", "カテゴリ", "分类", "分類", "분류", "تصنيف", "رده", "קטגוריה", "श्रेणी", "κατηγορία", "kategorio"]
)
# Language codes of wikis, for links to the same page elsewhere.
LANGUAGES = frozenset(
    ["aa", "ab", "ace", "ady", "af", "ak", "als", "am", "an", "ang", "ar", "arc", "ary", "arz", "as", "ast", "atj", "av", "avk", "awa", "ay", "az", "azb", "ba", "ban", "bar", "bcl", "be", "be-tarask", "be-x-old", "bg", "bh", "bi", "bjn", "bm", "bn", "bo", "bpy", "br", "bs", "bug", "bxr", "ca", "cbk-zam", "cdo", "ce", "ceb", "ch", "cho", "chr", "chy", "ckb", "co", "cr", "crh", "cs", "csb", "cu", "cv", "cy", "da", "de", "din", "diq", "dsb", "dty", "dv", "dz", "ee", "el", "eml", "en", "eo", "es", "et", "eu", "ext", "fa", "ff", "fi", "fiu-vro", "fj", "fo", "fr", "frp", "frr", "fur", "fy", "ga", "gag", "gan", "gcr", "gd", "gl", "glk", "gn", "gom", "gor", "got", "gu", "gv", "ha", "hak", "haw", "he", "hi", "hif", "ho", "hr", "hsb", "ht", "hu", "hy", "hyw", "hz", "ia", "id", "ie", "ig", "ii", "ik", "ilo", "inh", "io", "is", "it", "iu", "ja", "jam", "jbo", "jv", "ka", "kaa", "kab", "kbd", "kbp", "kg", "ki", "kj", "kk", "kl", "km", "kn", "ko", "koi", "kr", "krc", "ks", "ksh", "ku", "kv", "kw", "ky", "la", "lad", "lb", "lbe", "lez", "lfn", "lg", "li", "lij", "lld", "lmo", "ln", "lo", "lrc", "lt", "ltg", "lv", "mai", "map-bms", "mdf", "mg", "mh", "mhr", "mi", "min", "mk", "ml", "mn", "mnw", "mr", "mrj", "ms", "mt", "mus", "mwl", "my", "myv", "mzn", "na", "nah", "nap", "nds", "nds-nl", "ne", "new", "ng", "nl", "nn", "no", "nov", "nqo", "nrm", "nso", "nv", "ny", "oc", "olo", "om", "or", "os", "pa", "pag", "pam", "pap", "pcd", "pdc", "pfl", "pi", "pih", "pl", "pms", "pnb", "pnt", "ps", "pt", "qu", "rm", "rmy", "rn", "ro", "roa-rup", "roa-tara", "ru", "rue", "rw", "sa", "sah", "sat", "sc", "scn", "sco", "sd", "se", "sg", "sh", "shi", "shn", "si", "simple", "sk", "sl", "sm", "smn", "sn", "so", "sq", "sr", "srn", "ss", "st", "stq", "su", "sv", "sw", "szl", "szy", "ta", "tcy", "te", "tet", "tg", "th", "ti", "tk", "tl", "tn", "to", "tpi", "tr", "ts", "tt", "tum", "tw", "ty", "tyv", "udm", "ug", "uk", "ur", "uz", "ve", "vec", "vep", "vi", "vls", "vo", "wa", "war", "wo", "wuu", "xal", "xh", "xmf", "yi", "yo", "za", "zea", "zh", "zh-classical", "zh-min-nan", "zh-yue", "zu"]
)

# The magic word `redirect` in MediaWiki's message files (languages/messages/Messages*.php).
_REDIRECT_WORDS = (
    "REDIRECT", "REDIRECTION", "REDIRIGE", "WEITERLEITUNG", "DOORVERWIJZING", "RINVIA", "RINVIO", "REDIRECCIÓN", "REDIRECCION",
    "REDIRECIONAMENTO", "PATRZ", "PRZEKIERUJ", "TAM", "OMDIRIGERING", "OMDIRIGER", "VIDERESENDING", "OHJAUS", "UUDELLEENOHJAUS",
    "ПЕРЕНАПРАВЛЕНИЕ", "ПЕРЕНАПР", "ПЕРЕНАПРАВЛЕННЯ", "ПРЕНАСОЧВАНЕ", "ВИДИ", "ПРЕУСМЕРИ", "ПЕРАНАКІРАВАННЕ", "ÁTIRÁNYÍTÁS",
    "PŘESMĚRUJ", "PRESMERUJ", "YÖNLENDİRME", "YÖNLENDIR", "REDIRECTEAZA", "SUUNA", "ALIH", "LENCONG", "ALDREFERU", "ALIDIREKTU",
    "PREUSMJERI", "PREUSMERI", "BIRZUZENDU", "ATHSHEOLADH", "AIL-CYFEIRIO", "TILVÍSUN", "ĐỔI", "ΑΝΑΚΑΤΕΥΘΥΝΣΗ", "הפניה", "تحويل",
    "تغییر_مسیر", "تغییرمسیر", "رجوع مکرر", "अनुप्रेषित", "पुनर्निर्देशन", "পুনর্নির্দেশ", "เปลี่ยนทาง", "転送", "リダイレクト", "重定向", "넘겨주기",
)
_REDIRECT = re.compile(
    r"\s*#[ \t]*(?:" + "|".join(re.escape(w) for w in _REDIRECT_WORDS) + r")[ \t]*:?\s*\[\[([^\[\]|\n]+)", re.IGNORECASE
)
_REDIRECT_ANY_WORD = re.compile(r"\s*#[ \t]*[^\s\[\]|]{2,30}(?:[ \t][^\s\[\]|]{2,30})?[ \t]*:?\s*\[\[([^\[\]|\n]+)")


def dbname_of(base: str) -> str:
    """dbname from siteinfo's <base> (exports before 0.8 have no <dbname>); '' where the host is of no known family.

    http://en.wikipedia.org/wiki/Main_Page -> enwiki, https://commons.wikimedia.org/… -> commonswiki.
    """
    host = (urlsplit(base.strip()).hostname or "").lower()
    parts = [p for p in host.split(".") if p not in ("www", "m")]
    if len(parts) < 2:
        return ""
    family = parts[-2]
    if len(parts) == 2:
        return f"{family}wiki" if family in ("wikidata", "mediawiki", "wikifunctions") else ""
    name = _NAMED_HOST.get(parts[0], parts[0]).replace("-", "_")
    if family == "wikimedia":
        return f"{name}wiki"
    return f"{name}{_SUFFIX[family]}" if family in _SUFFIX else ""


def page_address(base: str, title: str) -> str | None:
    """Address of a page from siteinfo's <base> (the main page's address) and the title; None without a base."""
    head, slash, _ = base.strip().rpartition("/")
    if not slash:
        return None
    return f"{head}/{quote(title.replace(' ', '_'), safe='/:@!$()*,;~')}"


def namespace_of(title: str, namespaces: dict[str, int]) -> int:
    """Namespace number from a title's prefix; `namespaces` maps lower-case names to numbers."""
    prefix, colon, _ = title.partition(":")
    return namespaces.get(prefix.replace("_", " ").strip().lower(), 0) if colon else 0


def page_title(target: str) -> str:
    """A link's target as a title: no fragment, no leading colon, spaces for underscores, first letter upper-case."""
    title = target.partition("#")[0].replace("_", " ").strip()
    if title.startswith(":"):
        title = title[1:]
    title = " ".join(title.split())
    return title[:1].upper() + title[1:]


def redirect_target(text: str, any_word: bool = False) -> str | None:
    """Title that a redirect's text points to. `any_word` (for pages that the export marks) takes any word after `#`."""
    head = text[:2000]
    match = _REDIRECT.match(head) or (_REDIRECT_ANY_WORD.match(head) if any_word else None)
    return page_title(match[1]) or None if match else None
