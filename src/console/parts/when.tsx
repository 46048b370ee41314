/** A relative time, with the exact time as tooltip. */
import { ago, now } from "../clock.ts";
import { useShared } from "../reading/shared.ts";

export function When({ at }: { at: string | null | undefined }) {
  const current = useShared(now);
  if (!at) return <span class="faint">–</span>;
  return (
    <time dateTime={at} title={at}>
      {ago(at, current)}
    </time>
  );
}
