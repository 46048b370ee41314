/** Faults injected at an operation of a simulated router. */
import type { NetconfPeer } from "../../support/netconf-server.ts";

export type Fault =
  /** The connection is closed before or after the operation. */
  | { readonly at: string; readonly what: "dropBefore" | "dropAfter" }
  /** The operation is executed but not answered. */
  | { readonly at: string; readonly what: "silent"; reached(): void };

/** Executes an operation and answers, unless a fault applies. */
export function withFault(
  fault: Fault | undefined,
  operation: string,
  peer: NetconfPeer,
  act: () => string,
  answer: (inside: string) => void,
): void {
  const now = fault?.at === operation ? fault : undefined;
  const said = now?.what === "dropBefore" ? undefined : act();
  if (now === undefined) answer(said ?? "");
  else if (now.what === "silent") now.reached();
  else peer.drop();
}
