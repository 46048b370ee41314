/** Connection fields that sources return under these names. */
export const credentialFields = [
  "username",
  "password",
  "secret",
  "passphrase",
  "pkey",
  "sudo_password",
  "enable_password",
  "community",
  "priv_password",
  "otp",
  "answers",
] as const;
