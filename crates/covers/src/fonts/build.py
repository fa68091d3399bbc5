#!/usr/bin/env python3
"""Makes the embedded fonts beside this file; README.md says how to run it and where the sources come from.

usage: build.py FONTS_DIR   with FONTS_DIR/node_modules (npm) and FONTS_DIR/usr/share/fonts (Debian packages, unpacked)
"""

import gzip
import io
import os
import sys

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.ttLib.tables import otTables

HERE = os.path.dirname(os.path.abspath(__file__))

# Emoji by default (Emoji_Presentation) below U+1F000: taken out of the text fonts, so that they come in colour.
EMOJI_IN_BMP = {
    *range(0x231A, 0x231C), *range(0x23E9, 0x23ED), 0x23F0, 0x23F3, *range(0x25FD, 0x25FF), *range(0x2614, 0x2616),
    *range(0x2648, 0x2654), 0x267F, 0x2693, 0x26A1, *range(0x26AA, 0x26AC), *range(0x26BD, 0x26BF),
    *range(0x26C4, 0x26C6), 0x26CE, 0x26D4, 0x26EA, *range(0x26F2, 0x26F4), 0x26F5, 0x26FA, 0x26FD, 0x2705,
    *range(0x270A, 0x270C), 0x2728, 0x274C, 0x274E, *range(0x2753, 0x2756), 0x2757, *range(0x2795, 0x2798), 0x27B0,
    0x27BF, *range(0x2B1B, 0x2B1D), 0x2B50, 0x2B55,
}
TAGS = set(range(0xE0000, 0xE0080))
REGIONAL_INDICATORS = range(0x1F1E6, 0x1F200)
# The outlines of all flags come to 2 MB, most of it coats of arms: only flags up to this many bytes are kept, and these.
FLAG_BYTES = 2600
FLAGS_KEPT = {"US", "GB", "CA", "BR", "IN", "CN", "KR", "EU", "AU", "MX", "ES", "PT", "ZA"}

INDIC_AND_OTHERS = [
    "Arabic", "Hebrew", "Thai", "Devanagari", "Bengali", "Tamil", "Telugu", "Kannada", "Malayalam", "Gujarati",
    "Gurmukhi", "Sinhala", "Khmer", "Lao", "Myanmar", "Georgian", "Armenian",
]


def options():
    o = subset.Options()
    o.hinting = False
    o.glyph_names = False
    o.notdef_outline = True
    o.name_IDs = [0, 1, 2, 6, 13, 14]
    o.drop_tables += ["STAT", "meta", "DSIG", "SVG ", "vhea", "vmtx", "VORG"]
    return o


def write(font, key, o):
    """Names the family after its key (the code asks for it by that) and writes it compressed, the same bytes each time."""
    for record in list(font["name"].names):
        if record.nameID in (1, 6):
            record.string = f"Muster{key}"
        elif record.nameID == 2:
            record.string = "Regular"
        elif record.nameID not in (0, 13, 14):
            font["name"].removeNames(nameID=record.nameID)
    font.recalcTimestamp = False
    raw = io.BytesIO()
    subset.save_font(font, raw, o)
    path = os.path.join(HERE, f"{key.lower()}.gz")
    with open(path, "wb") as out:
        out.write(gzip.compress(raw.getvalue(), 9, mtime=0))
    print(f"{key:12} {len(raw.getvalue()):8} {os.path.getsize(path):8} {len(font.getBestCmap()):6} characters")


def make(source, key, keep, number=-1, features=None):
    o = options()
    o.font_number = number
    if features is not None:
        o.layout_features = features
    font = subset.load_font(source, o)
    subsetter = subset.Subsetter(o)
    subsetter.populate(unicodes=[u for u in font.getBestCmap() if keep(u) and u not in EMOJI_IN_BMP])
    subsetter.subset(font)
    write(font, key, o)


def latin(u):
    return u < 0x590 or 0x1E00 <= u < 0x2800 or 0x2C60 <= u < 0x2C80 or 0xA700 <= u < 0xA800


def script_alone(u):
    """A script's own letters and the signs that stand among them; Latin comes from the faces before it."""
    return not (0x41 <= u <= 0x24F)


def encoded(codec, leads, trails=range(0x40, 0xFF)):
    found = set()
    for lead in leads:
        for trail in trails:
            try:
                found.add(ord(bytes([lead, trail]).decode(codec)))
            except (UnicodeDecodeError, TypeError):
                pass
    return {u for u in found if u >= 0x2E80}


def east_asian():
    """JIS X 0208, GB 2312, the frequent half of Big5, the 2,350 common Hangul syllables and their jamo."""
    marks = {0x20} | set(range(0x3000, 0x3040)) | set(range(0x3040, 0x3130)) | set(range(0xFF01, 0xFFEF))
    hangul = encoded("euc_kr", range(0xB0, 0xC9)) | set(range(0x3131, 0x318F))
    return (
        encoded("euc_jp", range(0xA1, 0xF5)) | encoded("gb2312", range(0xA1, 0xF8))
        | encoded("big5", range(0xA1, 0xC7)) | hangul | marks
    )


def outline_names(paint, found, layers, colr):
    """The glyphs whose outlines a COLRv1 paint uses."""
    if hasattr(paint, "Glyph") and isinstance(paint.Glyph, str):
        found.add(paint.Glyph)
    for child in paint.getChildren(colr):
        outline_names(child, found, layers, colr)


def simplify(paint):
    """The paint without what the renderer cannot composite: the sheen on flags and half-transparent highlights."""
    if paint.Format == otTables.PaintFormat.PaintComposite:
        if paint.CompositeMode == otTables.CompositeMode.SOFT_LIGHT:
            return simplify(paint.BackdropPaint)
        nothing = otTables.Paint()
        nothing.Format, nothing.NumLayers, nothing.FirstLayerIndex = otTables.PaintFormat.PaintColrLayers, 0, 0
        return nothing
    if hasattr(paint, "Paint"):
        paint.Paint = simplify(paint.Paint)
    return paint


def simplify_all(colr):
    for record in colr.BaseGlyphList.BaseGlyphPaintRecord:
        record.Paint = simplify(record.Paint)
    colr.LayerList.Paint = [simplify(paint) for paint in colr.LayerList.Paint]


def flag_costs(font):
    """The ligature glyph and the bytes of outlines of each flag, by its two letters."""
    cmap = font.getBestCmap()
    letters = {cmap[u]: chr(u - REGIONAL_INDICATORS[0] + ord("A")) for u in REGIONAL_INDICATORS if u in cmap}
    colr = font["COLR"].table
    paints = {r.BaseGlyph: r.Paint for r in colr.BaseGlyphList.BaseGlyphPaintRecord}
    costs = {}
    for lookup in font["GSUB"].table.LookupList.Lookup:
        for table in lookup.SubTable:
            for first, ligatures in getattr(table, "ligatures", {}).items():
                for ligature in ligatures:
                    if first in letters and len(ligature.Component) == 1 and ligature.Component[0] in letters:
                        used = set()
                        outline_names(paints[ligature.LigGlyph], used, None, colr)
                        code = letters[first] + letters[ligature.Component[0]]
                        costs[code] = sum(len(font["glyf"][g].compile(font["glyf"])) + 20 for g in used)
    return letters, costs


def emoji(source):
    o = options()
    o.notdef_outline = False
    font = TTFont(source)
    for table in ("SVG ", "vhea", "vmtx"):
        del font[table]
    simplify_all(font["COLR"].table)
    letters, costs = flag_costs(font)
    kept = {code for code, cost in costs.items() if cost <= FLAG_BYTES or code in FLAGS_KEPT}
    print(f"{len(kept)} of {len(costs)} flags, {sum(costs[c] for c in kept)} of {sum(costs.values())} bytes")
    for lookup in font["GSUB"].table.LookupList.Lookup:
        for table in lookup.SubTable:
            for first, ligatures in getattr(table, "ligatures", {}).items():
                if first in letters:
                    ligatures[:] = [
                        l for l in ligatures
                        if len(l.Component) == 1 and letters[first] + letters.get(l.Component[0], "?") in kept
                    ]
    # Only the ligatures: the look-ups after them show a question mark for an unknown flag, where its two letters say more.
    for record in font["GSUB"].table.FeatureList.FeatureRecord:
        record.Feature.LookupListIndex = record.Feature.LookupListIndex[:1]
    subsetter = subset.Subsetter(o)
    subsetter.populate(unicodes=[u for u in font.getBestCmap() if u not in TAGS])
    subsetter.subset(font)
    write(font, "Emoji", o)


def main(fonts):
    npm = os.path.join(fonts, "node_modules/@expo-google-fonts")
    debian = os.path.join(fonts, "usr/share/fonts")
    make(f"{npm}/bricolage-grotesque/800ExtraBold/BricolageGrotesque_800ExtraBold.ttf", "Grotesque", latin)
    make(f"{npm}/fraunces/600SemiBold/Fraunces_600SemiBold.ttf", "Serif", latin)
    make(f"{npm}/inter-tight/600SemiBold/InterTight_600SemiBold.ttf", "Sans", latin)
    for script in INDIC_AND_OTHERS:
        make(f"{debian}/truetype/noto/NotoSans{script}-Bold.ttf", script, script_alone)
    characters = east_asian()
    make(f"{debian}/opentype/noto/NotoSansCJK-Bold.ttc", "EastAsian", characters.__contains__, number=0, features=[])
    files = os.path.join(fonts, "node_modules/@fontsource/noto-color-emoji/files")
    emoji(f"{files}/noto-color-emoji-emoji-400-normal.woff2")


main(sys.argv[1])
