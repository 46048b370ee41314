/** What goes wrong on a simulated router at one of its operations. */
import type { NetconfPeer } from "../../support/netconf-server.ts";

export type Fault =
  /** The connection is cut before the operation is done, or behind it. */
  | { readonly at: string; readonly what: "dropBefore" | "dropAfter" }
  /** It is done and never answered. */
  | { readonly at: string; readonly what: "silent"; reached(): void };

/** Does an operation and answers, unless the fault says otherwise. */
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
