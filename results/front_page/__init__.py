"""The home page: what waits for a member; for visitors the site's own page, or the default one."""
