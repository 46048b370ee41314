/** The one place that loads ssh2, between lending it the missing cryptography and taking that back. */
import type * as types from "ssh2";
import { polyfillCrypto } from "../runtime/ssh2-compat.ts";

// Not a static import: from source, Bun runs a CommonJS package before the modules that stand above it.
const takeBack = polyfillCrypto();
const ssh2 = await import("ssh2");
takeBack();

export const { Client, Server, utils, BaseAgent } = ssh2;
export type Client = types.Client;
export type Server = types.Server;
export type * from "ssh2";
