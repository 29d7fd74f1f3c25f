PUBLIC = "demo emails external_sort passes replay repository robots rules secret services station"
