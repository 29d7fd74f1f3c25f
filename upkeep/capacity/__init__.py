"""The DynamoDB capacity an election of a given size needs: `rehearsal` runs a small one and meters every act, `model`
extrapolates to a large one, `report` puts it into words.

Nothing is guessed. The acts are the real services and pages, on a temporary embedded store that claims to be distant,
so that everything is laid out as on DynamoDB; units follow from the sizes of the items written and read.
"""
