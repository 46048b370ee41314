/** How an entry of the ledger follows from the one before it. */
import { createSecretKey } from "node:crypto";
import type { LedgerKind } from "../api/ledger/ledger.ts";
import { chainStart, hashLink, macLink } from "../base/hash-chain.ts";
import { type CanonicalValue, canonicalJson } from "../base/json/canonical.ts";
import type { Cipher } from "./cipher.ts";

/** What an entry says, but its place in the chain. */
export interface EntryDraft {
  readonly kind: LedgerKind;
  /** The job, or an id of the request. There is one entry of it. */
  readonly ref: string;
  /** Milliseconds since 1970. Times of the chain never go back. */
  readonly at: number;
  readonly members: { readonly [name: string]: CanonicalValue | undefined };
}

/** The newest entry. */
export interface Tail {
  readonly seq: number;
  readonly at: number;
  readonly hash: string;
  readonly mac: string;
}

/** A statement, and the entry that it adds. */
interface Adding<Args> {
  readonly sql: string;
  readonly args: Args;
  readonly entry?: EntryDraft;
}

export const noTail: Tail = { seq: 0, at: 0, hash: chainStart, mac: chainStart };

/** @returns completes statements with the arguments of their entries, in their order, after the newest there is */
export function createLinker({ keyId, ledgerKey }: Cipher) {
  const key = createSecretKey(ledgerKey);

  function next(before: Tail, { kind, ref, at: wanted, members }: EntryDraft) {
    const seq = before.seq + 1;
    const at = Math.max(wanted, before.at);
    const body = canonicalJson({ ...members, v: 1, seq, at: new Date(at).toISOString(), kind, ref });
    const hash = hashLink(before.hash, body);
    const mac = macLink(key, before.mac, body);
    return {
      ...{ seq, at, hash, mac },
      args: {
        ...{ ledger_seq: seq, ledger_at: at, ledger_kind: kind, ledger_ref: ref, ledger_body: body },
        ...{ ledger_prev: before.hash, ledger_hash: hash, ledger_mac: mac, ledger_key: keyId },
      },
    };
  }

  return <Args extends object>(newest: Tail, statements: readonly Adding<Args>[]) => {
    let last = newest;
    return statements.map(({ sql, args, entry }) => {
      if (entry === undefined) return { sql, args };
      const here = next(last, entry);
      last = here;
      return { sql, args: { ...args, ...here.args } };
    });
  };
}
