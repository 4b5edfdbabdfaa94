"""Writes the letters of a font as shapes: frame-glyphs.py FONT FILE (docs/design.md)."""

import json
import sys
import unicodedata

from fontTools.pens.basePen import BasePen
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

font = instantiateVariableFont(TTFont(sys.argv[1]), {"wght": 600})
glyphs = font.getGlyphSet()
scale = 1000 / font["head"].unitsPerEm


class PathPen(BasePen):
    def __init__(self):
        super().__init__(glyphs)
        self.path = ""

    def add(self, command, *points):
        numbers = [round(value * scale) for x, y in points for value in (x, -y)]
        self.path += command + " ".join(map(str, numbers))

    def _moveTo(self, to):
        self.add("M", to)

    def _lineTo(self, to):
        self.add("L", to)

    def _qCurveToOne(self, control, to):
        self.add("Q", control, to)

    def _closePath(self):
        self.path += "Z"


shapes = {}
for code, name in sorted(font.getBestCmap().items()):
    # Marks that combine, invisible characters and blanks, except the blank itself.
    if unicodedata.category(chr(code)) in ("Mn", "Cf", "Cc", "Zs") and code != 32:
        continue
    pen = PathPen()
    glyphs[name].draw(pen)
    shapes[chr(code)] = f"{round(glyphs[name].width * scale)} {pen.path}".strip()
with open(sys.argv[2], "w") as file:
    json.dump(shapes, file, ensure_ascii=False, indent=2)
    file.write("\n")
