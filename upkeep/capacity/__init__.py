"""How much an election of a given size takes on DynamoDB: `rehearsal` plays a small one and meters every act, `model`
makes of it what a large one needs, `saying` puts it into words.

Nothing is a table of guesses. The acts are the services and pages themselves, on an embedded store that is thrown away
and says that it is distant, so that everything lies where it would lie there; units follow from the sizes of the very
items that were written and read.
"""
