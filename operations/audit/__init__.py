"""Pages for those who look after the site: overview, event log, tables, mails."""
