"""The papers' simulations at full size: documented commands, and the summaries they gave."""
