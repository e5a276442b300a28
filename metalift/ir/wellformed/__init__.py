"""Which expressions, fragments, summaries and programs are well formed; what comes from outside is checked here."""
