"""Which skills an election needs, and which candidates agreed to show theirs."""
