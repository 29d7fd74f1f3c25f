PUBLIC = (
    "addresses cards colours conditional converters fields forms fragments icons lists logo markdown "
    "names onward page_cache paging qr rendered saying sharing site_views sorting streams time_display "
    "time_fields times"
)
