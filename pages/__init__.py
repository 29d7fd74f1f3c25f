PUBLIC = (
    "cards client_address colours fields forms fragments help_views http_cache icons lists logo markdown "
    "markdown_cache messages names page_cache paging paths qr sections served_code sharing site_views sorting streams "
    "text_cleaning time_display time_fields times"
)
