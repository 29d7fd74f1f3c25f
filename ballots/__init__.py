PUBLIC = "comparing demo emails external_sort passes replay repository robots sealed secrecy services"
