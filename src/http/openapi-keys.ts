/** API keys and kept credentials, as OpenAPI describes them. */
import { newCredential } from "../model/credential.ts";
import { changedKey, newKeyRequest } from "../model/key.ts";
import { listOf, refTo, text } from "./openapi-schema.ts";
import { credentialQuery, keyQuery } from "./query.ts";

const withBody = ["400", "413", "415", "422"] as const;

export const keyPaths = {
  "/key": {
    get: { summary: "List API keys, never in clear", data: listOf(refTo("Key")) },
    post: {
      summary: "Make an API key; it is told once",
      data: refTo("MadeKey"),
      body: newKeyRequest,
      created: true,
      fails: withBody,
    },
    patch: {
      summary: "Change which credentials an API key may name",
      data: text,
      body: changedKey,
      query: keyQuery,
      fails: ["404", ...withBody],
    },
    delete: { summary: "Revoke an API key", data: text, query: keyQuery, fails: ["404", "422"] },
  },
  "/credential": {
    get: {
      summary: "List the credentials that are kept here, never what they hold",
      data: listOf(refTo("KeptCredential")),
    },
  },
  "/credential/{name}": {
    put: {
      summary: "Keep a credential; an answer of 200 says that there was one",
      data: refTo("CredentialName"),
      body: newCredential,
      query: credentialQuery,
      created: true,
      fails: withBody,
    },
    delete: {
      summary: "Remove a credential",
      data: refTo("CredentialName"),
      query: credentialQuery,
      fails: ["404", "422"],
    },
  },
} as const;
