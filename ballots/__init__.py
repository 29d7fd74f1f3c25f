PUBLIC = "comparing demo letters passes replay repository robots sealed secrecy services sorting"
