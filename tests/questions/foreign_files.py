"""Files of other programs as their published grammars describe them, written for these tests."""

from __future__ import annotations

import io
import zipfile
from xml.sax.saxutils import escape

GIFT = r"""// One question of every kind that the format has
$CATEGORY: $course$/top/Rivers and seas

// multiple choice, with a name, feedback for each answer and a weight
::Longest river::Which river of Europe is the longest? {
	=Volga #Yes, 3,500 kilometres.
	~%50%Danube #Nearly.
	~Rhine
	####All three can be sailed.
}

::Several::[html]<p>Which of these <b>flow</b> into the North Sea?</p><p>Choose all &amp; no other.</p>{
~%50%Elbe
~%50%Rhine
~%-100%Oder
~%-100%Danube}

The Caspian Sea is a lake.{T#Look at a map.#Well known.}

The Dead Sea is salty.{FALSE}

The {~Po =Tiber ~Arno} flows through Rome.

Who found the sources of the Nile? {=Speke =%50%Burton#Not quite.}

Two plus two is {=four =4}.

// numbers, matching, an essay, a text between questions
How many kilometres has the Rhine? {#1233:10}

How deep is Lake Constance at most? {#251..255}

Match them. {=Seine -> Paris =Thames -> London =Spree -> Berlin}

Write about a river you know. {}

The questions that follow are about seas.

$CATEGORY: Signs/In text

[plain]What is 2 \~ 2 \= \{4\} \# a\:b \\ end?\nA second line.{~a\=b =c\~d ~\{e\}}
"""

AIKEN = """Which lake is the largest?
A. Baikal
B. Caspian Sea
C. Victoria
ANSWER: B

Which is the highest mountain of the Alps?
A) Eiger
B) Matterhorn
C) Mont Blanc
D) Ortler
ANSWER: C
"""

MOODLE = """<?xml version="1.0" encoding="UTF-8"?>
<quiz>
<!-- question: 0 -->
  <question type="category"><category><text>$course$/top/Towns/In the south</text></category></question>
  <question type="multichoice">
    <name><text>Peru</text></name>
    <questiontext format="html">
      <text><![CDATA[<p>What is the capital of <em>Peru</em>?</p>
        <p>It lies on the coast&nbsp;&amp; is old.</p>]]></text>
    </questiontext>
    <generalfeedback format="html"><text></text></generalfeedback>
    <defaultgrade>1.0000000</defaultgrade><penalty>0.3333333</penalty><hidden>0</hidden>
    <single>true</single><shuffleanswers>true</shuffleanswers><answernumbering>abc</answernumbering>
    <answer fraction="0" format="html"><text>Cusco</text>
      <feedback format="html"><text>Long ago.</text></feedback></answer>
    <answer fraction="100" format="html"><text>&lt;p&gt;Lima&lt;/p&gt;</text><feedback><text></text></feedback></answer>
    <answer fraction="0" format="html"><text><![CDATA[Quito]]></text></answer>
  </question>
  <question type="multichoice">
    <name><text>Several</text></name>
    <questiontext format="plain_text"><text>Which of these lie in <b>Chile</b>?</text></questiontext>
    <single>false</single>
    <answer fraction="50"><text>Arica</text></answer>
    <answer fraction="50"><text>Osorno</text></answer>
    <answer fraction="-100"><text>Tacna</text></answer>
  </question>
  <question type="truefalse">
    <name><text>Bolivia</text></name>
    <questiontext format="html"><text>La Paz is the capital of Bolivia.</text></questiontext>
    <answer fraction="0"><text>true</text></answer>
    <answer fraction="100"><text>false</text></answer>
  </question>
  <question type="shortanswer">
    <name><text>Short</text></name>
    <questiontext format="html"><text>Name a town in Uruguay.</text></questiontext>
    <usecase>0</usecase>
    <answer fraction="100"><text>Montevideo</text></answer>
  </question>
  <question type="essay">
    <name><text>Essay</text></name>
    <questiontext format="html"><text>Which town would you visit?</text></questiontext>
    <graderinfo format="html"><text>Any will do.</text></graderinfo>
  </question>
  <question type="description">
    <name><text>Between</text></name>
    <questiontext format="html"><text>Now to something else.</text></questiontext>
  </question>
  <question type="matching">
    <name><text>Match</text></name>
    <questiontext format="html"><text>Match them.</text></questiontext>
    <subquestion><text>Ecuador</text><answer><text>Quito</text></answer></subquestion>
  </question>
  <question type="numerical">
    <name><text>Height</text></name>
    <questiontext format="html"><text>How high lies Cusco?</text></questiontext>
    <answer fraction="100"><text>3399</text><tolerance>10</tolerance></answer>
  </question>
  <question type="cloze">
    <name><text>Gaps</text></name>
    <questiontext format="html"><text>{1:SHORTANSWER:=Lima} and {1:NUMERICAL:=2}</text></questiontext>
  </question>
  <question type="multichoice">
    <name><text>Flag</text></name>
    <questiontext format="html">
      <text><![CDATA[Whose flag is this? <img src="@@PLUGINFILE@@/flag.png" alt="">]]></text>
      <file name="flag.png" path="/" encoding="base64">iVBORw0KGgo=</file>
    </questiontext>
    <answer fraction="100"><text>Peru</text></answer><answer fraction="0"><text>Chile</text></answer>
  </question>
  <question type="coderunner">
    <name><text>Code</text></name>
    <questiontext format="html"><text>Write a loop.</text></questiontext>
  </question>
</quiz>
"""

HEADINGS = (
    "",
    "Question - max 120 characters",
    "Answer 1 - max 75 characters",
    "Answer 2 - max 75 characters",
    "Answer 3 - max 75 characters",
    "Answer 4 - max 75 characters",
    "Time limit (sec) – 5, 10, 20, 30, 60, 90, 120, or 240 secs",
    "Correct answer(s) - choose at least one",
)
FILLED = (
    (1, "Which planet is the largest?", "Mars", "Jupiter", "Venus", "Earth", 20, 2),
    (2, "Which planets have rings?", "Saturn", "Mercury", "Uranus", "", 60, "1,3"),
    (3, "Which planet is <red>?", "Mars", "Mars", "", "", 30, 1),
    (4, "What is a comma, once a spreadsheet has seen it?", "a", "b", "c", "", "", 1.3),
    (5, "", "", "", "", "", "", ""),
    (6, "Which is the seventh?", "Uranus", "Neptune", "", "", "soon", "5"),
)
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def workbook(rows, *, first: int = 8, shared: bool = True, more: dict[str, str] | None = None, **options) -> bytes:
    """An .xlsx file with these rows from a row on, its texts in a part of their own or in their cells."""
    strings: list[str] = []
    lines = "".join(_row(number, cells, strings if shared else None) for number, cells in enumerate(rows, first))
    parts = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}"><sheets><sheet name="Sheet1" sheetId="1"/></sheets></workbook>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{MAIN}"><sheetData>{_title()}{lines}</sheetData></worksheet>',
    }
    if shared:
        items = "".join(
            f"<si><r><t>{escape(text[:1])}</t></r><r><t>{escape(text[1:])}</t></r></si>" for text in strings
        )
        parts["xl/sharedStrings.xml"] = f'<?xml version="1.0"?><sst xmlns="{MAIN}">{items}</sst>'
    return zipped(parts | (more or {}), **options)


def _title() -> str:
    return '<row r="2"><c r="B2" t="inlineStr"><is><t>Quiz template</t></is></c><c r="C2" s="4"/></row>'


def _row(number: int, cells, strings: list[str] | None) -> str:
    written = "".join(_cell(f"{'ABCDEFGH'[place]}{number}", cell, strings) for place, cell in enumerate(cells))
    return f'<row r="{number}">{written}</row>'


def _cell(at: str, value, strings: list[str] | None) -> str:
    if value == "":
        return f'<c r="{at}" s="3"/>'
    if not isinstance(value, str):
        return f'<c r="{at}"><v>{value}</v></c>'
    if strings is None:
        return f'<c r="{at}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    strings.append(value)
    return f'<c r="{at}" t="s"><v>{len(strings) - 1}</v></c>'


def zipped(parts: dict[str, str], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", method) as file:
        for name, text in parts.items():
            file.writestr(name, text)
    return raw.getvalue()


KAHOOT = workbook((HEADINGS, *FILLED))
