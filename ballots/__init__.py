PUBLIC = "comparing demo emails external_sort passes replay repository robots secrecy services"
