/** A moment: how long ago, and exactly on hover. */
import { ago, now } from "../clock.ts";

export function When({ at }: { at: string | null | undefined }) {
  if (!at) return <span class="faint">–</span>;
  return (
    <time dateTime={at} title={at}>
      {ago(at, now.value)}
    </time>
  );
}
