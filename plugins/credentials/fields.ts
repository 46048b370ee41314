/** Fields of a connection that the sources give by their own names. */
export const credentialFields = [
  "username",
  "password",
  "secret",
  "passphrase",
  "pkey",
  "sudo_password",
  "enable_password",
] as const;
