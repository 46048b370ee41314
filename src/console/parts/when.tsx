/** A relative time, with the exact time as tooltip. */
import { ago, now } from "../clock.ts";

export function When({ at }: { at: string | null | undefined }) {
  if (!at) return <span class="faint">–</span>;
  return (
    <time dateTime={at} title={at}>
      {ago(at, now.value)}
    </time>
  );
}
