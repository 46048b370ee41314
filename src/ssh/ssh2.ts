/** The only module that loads ssh2, between installing polyfills for missing cryptography and removing them. */
import type * as types from "ssh2";
import { polyfillCrypto } from "../runtime/ssh2-compat.ts";

// Not a static import: when run from source, Bun evaluates a CommonJS package before the modules imported above it.
const takeBack = polyfillCrypto();
const ssh2 = await import("ssh2");
takeBack();

export const { Client, Server, utils, BaseAgent } = ssh2;
export type Client = types.Client;
export type Server = types.Server;
export type * from "ssh2";
