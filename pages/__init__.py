PUBLIC = (
    "cards client_address colours fields forms fragments http_cache icons lists logo markdown "
    "markdown_cache messages names page_cache paging paths qr sharing site_views sorting streams time_display "
    "time_fields times"
)
