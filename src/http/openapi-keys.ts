/** OpenAPI description of API keys and stored credentials. */
import { newCredential } from "../model/credential.ts";
import { acceptedHostKey } from "../model/host-key.ts";
import { changedKey, newKeyRequest } from "../model/key.ts";
import { listOf, refTo, text } from "./openapi-schema.ts";
import { credentialQuery, forgetHostKeyQuery, hostKeyQuery, keyQuery } from "./query.ts";

const withBody = ["400", "413", "415", "422"] as const;

export const keyPaths = {
  "/key": {
    get: { summary: "List API keys, without the keys themselves", data: listOf(refTo("Key")) },
    post: {
      summary: "Create an API key; it is returned only once",
      data: refTo("MadeKey"),
      body: newKeyRequest,
      created: true,
      fails: withBody,
    },
    patch: {
      summary: "Change which credentials an API key may use",
      data: text,
      body: changedKey,
      query: keyQuery,
      fails: ["404", ...withBody],
    },
    delete: { summary: "Revoke an API key", data: text, query: keyQuery, fails: ["404", "422"] },
  },
  "/host-key": {
    get: {
      summary: "List the known host keys of devices, and what hosts presented in place of them",
      data: listOf(refTo("HostKey")),
      query: hostKeyQuery,
      fails: ["422"],
    },
  },
  "/host-key/{name}": {
    delete: {
      summary: "Forget the host keys of a device; `name` is its host",
      data: refTo("ForgottenHostKeys"),
      query: forgetHostKeyQuery,
      fails: ["404", "422"],
    },
  },
  "/host-key/{name}/accept": {
    post: {
      summary: "Accept the host key that a replaced device presented; `name` is its host",
      data: listOf(refTo("HostKey")),
      body: acceptedHostKey,
      fails: ["404", ...withBody],
    },
  },
  "/credential": {
    get: {
      summary: "List stored credentials, without their values",
      data: listOf(refTo("KeptCredential")),
    },
  },
  "/credential/{name}": {
    put: {
      summary: "Create (201) or replace (200) a credential",
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
