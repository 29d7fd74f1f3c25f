PUBLIC = "unused_accounts"
