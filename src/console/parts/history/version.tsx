/** A version in a line: when, why, who, how many lines, its note, and whether it is whole. */
import { personOf, type Version } from "../../shapes/history.ts";
import { When } from "../when.tsx";

export function VersionLine({ of }: { of: Version }) {
  const { taken_at, source, added, removed, note, state, reason } = of;
  const person = personOf(of);
  return (
    <>
      <When at={taken_at} /> · {source}
      {person === "" ? "" : ` · ${person}`} ·{" "}
      <span class="edited">
        <ins>+{added}</ins> <del>−{removed}</del>
      </span>
      {state === "suspect" && (
        <>
          {" "}
          <span class="badge">{state}</span> {reason}
        </>
      )}
      {note !== null && <em class="note"> {note}</em>}
    </>
  );
}
