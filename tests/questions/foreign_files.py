"""Files of other programs as their published grammars describe them, written for these tests."""

from __future__ import annotations

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
