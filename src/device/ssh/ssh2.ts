/** The only module that loads ssh2, between installing polyfills for missing cryptography and removing them. */
import type * as types from "ssh2";
import { polyfillCrypto } from "../../runtime/native/ssh2-compat.ts";

// Not a static import: when run from source, Bun evaluates a CommonJS package before the modules imported above it.
const takeBack = polyfillCrypto();
const loaded = await import("ssh2");
takeBack();
// Node does not see all named exports of this CommonJS package (the testkit of plugin authors runs there).
const ssh2 = loaded.default;

export const { Client, Server, utils, BaseAgent } = ssh2;
export type Client = types.Client;
export type Server = types.Server;
export type * from "ssh2";
