/** Response schemas of keys, sessions and credentials; their keys are checked against the record types. */

import type { CredentialRecord } from "../model/credential.ts";
import type { HostKeyRecord } from "../model/host-key.ts";
import { type KeyRecord, keyStates, type MadeKey } from "../model/key.ts";
import type { LoginSessionRecord } from "../model/login-session.ts";
import { moment, orNull, record, text, texts } from "./openapi-schema.ts";

export const keySchemas = {
  Key: record<KeyRecord>({
    id: text,
    name: text,
    scope: text,
    hosts: texts,
    credentials: orNull(texts),
    certificate: orNull(text),
    state: { type: "string", enum: keyStates },
    created_at: moment,
    expires_at: orNull(moment),
    last_used_at: orNull(moment),
    revoked_at: orNull(moment),
  }),
  MadeKey: record<MadeKey>({
    id: text,
    name: text,
    scope: text,
    hosts: texts,
    credentials: orNull(texts),
    expires_at: orNull(moment),
    key: {
      ...text,
      description:
        "Returned only here, because only its hash is stored; empty if a certificate replaces the key",
    },
    certificate: orNull(text),
  }),
  LoginSession: record<LoginSessionRecord>({
    id: text,
    key: { ...text, description: "Name of the API key whose scope and hosts it has" },
    scope: text,
    hosts: texts,
    created_at: moment,
    last_seen_at: moment,
    expires_at: moment,
    address: orNull(text),
    agent: orNull(text),
    current: { type: "boolean", description: "Whether this is the session of the request" },
  }),
  KeptCredential: record<CredentialRecord>({
    source: text,
    ref: text,
    fields: texts,
    created_at: moment,
    changed_at: moment,
    last_used_at: orNull(moment),
  }),
  HostKey: record<HostKeyRecord>({
    host: text,
    port: { type: "integer" },
    via: { ...texts, description: "Jump hosts on the way, nearest first" },
    type: text,
    fingerprint: text,
    seen_at: moment,
    offered: orNull({
      type: "object",
      required: ["type", "fingerprint", "seen_at"],
      properties: { type: text, fingerprint: text, seen_at: moment },
      description: "The key that the host presented last in place of this one",
    }),
  }),
  ForgottenHostKeys: {
    type: "object",
    required: ["host", "forgotten"],
    properties: { host: text, forgotten: { type: "integer" } },
  },
  CredentialName: record<Pick<CredentialRecord, "source" | "ref">>({ source: text, ref: text }),
};
