"""Which templates show something, and which of their arguments. A table: adding a template touches only this file.

Names are compared case-folded, `_` as a space. A template that is not named here shows nothing in running text.
"""

from __future__ import annotations

import re

# How an inline template shows its arguments:
#   a tuple of numbers: these positional arguments, in this order of the text
#   "all": every positional argument · "items": the same, each an item of a list
#   "first": the first argument that is not empty · "last": the last one
#   "label": the second argument, else the first · "named": the template's name, then every positional argument
#   "either": the first argument, else the template's name · "name": the template's name
#   "blank": a blank · "convert", "val", "date3" (year, month, day at most), "colon" (what follows the first colon)
#   "note": a footnote · "cite": a citation, shown in footnotes and lists only
HOW: dict[str, object] = {}


def _is(how: object, names: str) -> None:
    for name in names.split(";"):
        HOW[name.strip().casefold()] = how


_is((1,), "nowrap; nobr; no wrap; nowr; small; smaller; smalldiv; big; larger; resize; abbr; abbrv; abbreviation; tooltip; hover title; "
    "flag; flagu; flagcountry; flagdeco; flag country; flagcu; flagg; country; sronly; noitalic; normal; nobold; bold; italic; em; strong; "
    "strikethrough; s; underline; u; sup; sub; smallsup; center; centre; align; left; right; nts; ntsh; nds; number table sorting; formatprice; "
    "decimals; sc; smallcaps; sc2; caps; lc; uc; ucfirst; lcfirst; ill; interlanguage link; illm; link-interwiki; lien; "
    "ill-wd; visible anchor; vanchor; anchor text; mono; monospace; kbd; var; samp; code; tt; key press; key; math; mvar; "
    "sfrac text; music; title-g; sic; notatypo; as written; not a typo; first word; hilite; highlight; transclude; lsub; chem; chem2; "
    "ublist item; no col break; endplainlist; longitem; marriage; married; baseball year; by; nfl year; nhl year; mlb year; nba year; "
    "us patent; party shading; ft to m; nflteam; fb; fbaicon; fbu; fb-rt; nft; cr; cr-rt; crw; ru; ru-rt; hb; bk; vb; ih; ruw; "
    "party name with colour; party name with color; polparty; party link; template link; tl; iso 639 name; rws; stnlnk; mlbsb; cvt text; flatlist; "
    "plainlist; plain list; startplainlist; quote inline; stack; hidden; collapsible text; normalfont; no bold; nbold; pad; indent; "
    "awards; official url; keypress; pre; nihongo3; wrap; nowrap1; box; age in years nts; title year; hs; linktext; fontsize; "
    "flagd; flagathlete; flagmedalist; flagioc; flagioc2; flagiocathlete; flagiocmedalist; flagteam; player; noflag; subatomic particle; "
    "avoid wrap; allow wrap; nowiki text; asterisk; multi-line; vlist; bulleted; unbulleted; big text; font; text; resize text; ship name")
_is((2,), "lang; langx; transliteration; transl; xlit; script; rtl-lang; legend; legend2; legend-line; legend inline; legend0; color; colour; font color; font colour; "
    "fontcolor; fontcolour; colored link; coloured link; background color; bg; color box text; colorbox text; colour box text; sort; hidden sort; "
    "party color text; ill2; iw; iw2; translated title; size; rh text; aye; nihongo krt; wikt-lang; wikidata value; hs text; langnf; "
    "bgcolor; text color; rotate text; vertical text; efn text; fn text; harvc text; interlanguage link multi")
_is((1, 2), "nihongo; nihongo2; nihongo foot; zh-full; sortname; sort name; frac space; ship; sclass; sclass2; sclass-; korean; "
    "player entry; nat fs player; medal; goal; age nts; flag athlete; medalist; bio; name; native name pair; contradict pair")
_is("all", "dts; dtsh; date; dateformat; format date; film date; filmdate; television date; video game release; vgrelease; vgr; vgrelease new; "
    "start-date; end-date; frac; fraction; sfrac; ratio; version; coord; coords; coordinates; coor; birth-date; death-date; "
    "birth-date and age; death-date and age; age in years and days range; reign; oldstyledate; old style date; osd; n/a text; "
    "cvt range; chinese; zh; bio dates; music chord; pp; usd2; formatnumber; map marker; rating; ratings; stars; gender; "
    "timeline event; medals; sports result; score; fb score; winning score; tennis score; start and end dates; lived; post-nominals; "
    "postnominals; post-nom; postnom; post nominals; hms text; poem; poemquote; avg; height; weight; convinfobox; convert infobox; "
    "infobox quantity; pop density; us$ year; ordinal; ord; roman; wp year; official website text; br separated entries; comma separated entries; "
    "steady; profit text; lrt; rail line; rail color box; station; stn; rws text; s-line text; adjacent stations text; "
    "birth based on age as of date; birth-year and age text; circa range; number; num; nlist; plural; spell; spellnum")
_is("items", "ubl; unbulleted list; ublist; ubt; hlist; horizontal list; hlist-comma; cslist; comma list; flat list; bulleted list; blist; "
    "bulletedlist; ordered list; olist; numbered list; unbullet; ulist; vunblist; collapsible list; collapsed list; tree list; endash list; pagelist; "
    "linked list; based on; infobox list; br list; newline list; dlist; blist2")
_is("label", "url; official url link; official website; official; link; website; plain link; plainlink; external link; cws; sort2; dts2; "
    "iso date text; hyperlink; url2; uri")
_is("named", "us$; us dollar; usdollar; usd; a$; aud; au$; c$; cad; ca$; nz$; nzd; hk$; hkd; s$; sgd; r$; brl; €; euro; eur; £; gbp; pound sterling; "
    "gbp sterling; ₹; inr; rupee; rs; indian rupee; ¥; jpy; yen; jp¥; cn¥; cny; rmb; krw; ₩; won; rub; ₽; chf; sek; nok; dkk; pln; try; zar; "
    "php; peso; ₱; idr; myr; rm; thb; vnd; uah; ₴; ils; nis; iraqi dinar; mxn; ars; clp; cop; pen; "
    "circa; c.; ca.; floruit; fl.; fl; flourished; as of; asof; since; born; b.; died; d.; before; after; uss; hms; rms; ss; mv; ms; hmas; hmcs; hmnzs; "
    "sms; ins; jds; usns; uscgc; rfa; issn; isbn; isbnt; oclc; doi; unesco whs; nyse; nasdaq; lse; tyo; tsx; asx; bse; nse; euronext; "
    "euronext paris; fwb; frankfurt; six; six swiss exchange; bmad; hkex; sehk; sgx; krx; sse; szse; jse; bit; omx; ftse; moex; "
    "wbag; bmv; tase; nyse was; nyse american; isin; ticker; b3; twse; gaap")
_is("either", "yes; no; y; n; won; nom; nominated; pending; win; lost; draw; partial; maybe; some; good; bad; free; nonfree; proprietary; "
    "included; excluded; dropped; planned; n/a; na; tba; tbd; tbc; unknown; dunno; any; rarely; yes-no; table-yes; cancelled; "
    "canceled; active; inactive; eliminated; success; failure; partial success; operational; retired; sold; runner-up; runnerup; okay; ok; "
    "gold; silver; bronze; gold medal; silver medal; bronze medal; gold1; silver2; bronze3; gold01; silver02; bronze03; "
    "depends; required; optional; beta; not yet; nonfree2; release; site active; official2")
_is("name", "'s; ½; ¼; ¾; ·; •; $; …; °; =; –; —")
_is("blank", "!; nbsp; space; spaces; snd; spnd; spaced ndash; spaced en dash; ndash; en dash; mdash; em dash; dash; sndash; snds; thinsp; thin space; "
    "hair space; dot; bullet; bull; middot; wbr; zwsp; shy; pb; paragraph break; break; crlf; newline; comma; \\; /; pipe; gap; clear; -")
_is("convert", "convert; cvt; conv; convert/2; converted; cvt2")
_is("val", "val; value; valn; e; nom value; physical value; physconst")
_is("date3", "start date; start date and age; start date and years ago; startdate; start_date; end date; end date and age; enddate; birth date; "
    "birthdate; birth date and age; birth date and age2; birthdateandage; birth date2; bda; dob; death date; death date and age; death date and given age; "
    "deathdate; dda; death year and age; birth year and age; birth year; bya; film date2; release date; release date and age; "
    "release date2; launch date; opening date; date and age; start date text; age as of date; year; event date; "
    "launched; founded; date de naissance; naissance; date de décès; décès; nacimiento; fecha; geboren; date-; bsd; eventdate")
_is("colon", "formatnum")
_is("note", "efn; efn-ua; efn-la; efn-lr; efn-ur; efn-lg; notetag; note; refn; footnote; #tag:ref; sfn; sfnp; sfnm; harvnb; harvtxt; harvp; harv; "
    "harvcol; harvcolnb; snf; sfnref; r; rp; ref label; cref; cref2; ref; ran; shortened footnote; ill note; ref-llibre; refn2")
_is("cite", "citation; cite; cite quick; vcite; vcite web; vcite book; vcite journal; cite web; cite book; cite news; cite journal; cite press release; "
    "cite encyclopedia; cite magazine; cite conference; cite thesis; cite report; cite tweet; cite av media; cite episode; cite map; cite court; "
    "cite arxiv; cite interview; cite podcast; cite speech; cite techreport; cite newspaper; cite act; cite gazette; cite hansard; literatur; "
    "internetquelle; ouvrage; article; lien web; cita web; cita libro; ref web; internetref; gbook")

# Kinds of names rather than names: lang-de, IPA-en, cite something, currencies with a suffix.
_PATTERNS: tuple[tuple[re.Pattern, object], ...] = (
    (re.compile(r"lang-[a-z-]+$"), (1,)),
    (re.compile(r"cite .+|citation .+|harvard citation.*|citar .+|cita .+"), "cite"),
    (re.compile(r"(?:inr|usd|gbp|eur)\s?convert$"), "all"),
    (re.compile(r"flagicon .+|flag icon.*"), None),
    (re.compile(r"start date.*|birth date.*|death date.*|end date.*"), "date3"),
)

# Block templates whose first argument is wikitext of its own: lists in columns and the like.
CONTAINERS = frozenset(
    n.strip() for n in ["columns-list", " columns list", " column list", " multicol list", " plainlist", " plain list", " flatlist", " flat list", " div col list", " col-list", " cols", " colonnes", " div columns", " hidden", " collapse", " cot", " refbegin list", " reflist list", " tree list", " bulleted", " columns", " multi-column list", " block indent", " blockindent", " stack", " align", " center", " small", " smalldiv", " resize", " nowrap", " indent"]
)
QUOTES = frozenset(
    n.strip() for n in ["quote", " blockquote", " cquote", " quote box", " quotebox", " rquote", " bquote", " quotation", " centered pull quote", " quote frame", " pull quote", " verse translation", " poemquote", " quote without source", " citation bloc", " zitat", " cita", " cita destacada", " long quote", " imagequote"]
)
NOT_INFOBOXES = frozenset(
    n.strip() for n in ["multiple image", " multiple images", " multiple issues", " article issues", " issues", " quote box", " quotebox", " location map", " location map+", " location map many", " historical populations", " weather box", " climate chart", " track listing", " tracklist", " album ratings", " succession box", " s-start", " navbox", " sidebar", " about", " other uses", " for", " redirect", " hatnote group", " coord", " use dmy dates", " use mdy dates", " short description", " authority control", " pp", " protected", " double image", " triple image", " css image crop", " image frame", " annotated image", " reflist", " lang", " graph:chart", " bar box", " pie chart", " external media", " listen", " audio", " video", " sister project links", " portal", " portal bar", " portal box", " commons category", " official website", " taxonbar", " wikisource", " tree chart", " family tree", " ahnentafel", " chess diagram", " side box", " main box", " ombox", " ambox", " tmbox", " dmbox", " cleanup", " notice", " expand language", " copy edit", " more citations needed", " unreferenced", " toc limit", " toc", " multicol", " col-begin", " election box begin", " featured article", " good article", " merge to", " merge from", " split", " update", " tone", " refimprove", " citation style", " panorama", " wide image", " image label begin", " superimpose", " gallery", " start srl", " medal templates", " medaltemplates", " navboxes", " anchor", " selected sister projects", " overly detailed", " lead too short", " pov", " original research", " expert needed", " prose", " technical", " notability", " blp sources", " primary sources"]
)
_OTHER_INFOBOXES = re.compile(
    r"(?:automatic |sub)?taxobox.*|speciesbox|chembox.*|drugbox.*|geobox.*|starbox.*|planetbox.*|protein(?:box)?|enzyme|elementbox.*|"
    r"(?:ficha|infocaja|infoboks|infotaula|ficheiro|karta|infoboxe|info|карточка|картка) .+|.*taxobox|mycomorphbox|virusbox|hybridbox|"
    r"(?:bio|azienda|divisione amministrativa|film|sportivo|carica pubblica)"
)
_NESTED_MODULE = re.compile(r"(?:infobox|officeholder|embed).*")

CITE_KEYS = frozenset(
    ["last", "first", "author", "last1", "first1", "author1", "last2", "first2", "author2", "last3", "first3", "author3", "authors", "editor", "title", "chapter", "trans-title", "work", "website", "newspaper", "journal", "magazine", "publisher", "agency", "series", "volume", "issue", "date", "year", "page", "pages", "quote", "isbn", "edition", "location", "encyclopedia", "autor", "titel", "titre", "auteur", "éditeur", "année", "date", "titolo", "autore", "editore", "anno", "título", "apellidos", "nombre", "editorial", "año", "fecha"]
)


def template_name(raw: str) -> str:
    """Name for comparison: no comment, no `template:` prefix, case-folded, `_` as space."""
    if "<!--" in raw:
        raw = re.sub(r"<!--.*?-->", "", raw, flags=re.DOTALL)
    name = " ".join(raw.replace("_", " ").split()).casefold()
    return name[9:].strip() if name.startswith("template:") else name


_cache: dict[str, object] = {}


def how_shown(name: str) -> object:
    """The rule for an inline template's comparison name; None shows nothing."""
    if name in HOW:
        return HOW[name]
    known = _cache.get(name, _cache)
    if known is _cache:
        head, colon, _ = name.partition(":")
        known = HOW[head] if colon and HOW.get(head) == "colon" else None
        if colon and head in ("lc", "uc", "ucfirst", "lcfirst"):
            known = "colon"
        if known is None:
            known = next((how for pattern, how in _PATTERNS if pattern.match(name)), None)
        if len(_cache) < 10_000:
            _cache[name] = known
    return known


def is_infobox_name(name: str) -> bool:
    """Names that say so themselves, in any language."""
    return name.startswith("infobox") or name.endswith("infobox") or _OTHER_INFOBOXES.fullmatch(name) is not None
