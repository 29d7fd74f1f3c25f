"""Webhooks: signed requests that tell other systems what happened here, by the Standard Webhooks specification."""
