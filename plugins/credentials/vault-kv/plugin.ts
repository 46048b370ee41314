/** Credential source `vault_kv`: secrets of a HashiCorp Vault (or OpenBao), engine KV version 1 or 2. */
import { defineCredentialSource } from "patchbay/plugin";
import { reference, settings } from "./schemas.ts";

export default defineCredentialSource({
  name: "vault_kv",
  settings,
  reference,
  identify: ({ path }) => path,
  load: () => import("./resolve.ts"),
});
