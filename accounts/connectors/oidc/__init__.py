"""OpenID Connect: Keycloak, Entra ID, Google, Dex, Authentik and others."""
