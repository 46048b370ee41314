/** What must not be missed is said at once, by one region that is there before any text: others may go unheard. */
import { useEffect } from "preact/hooks";
import { shared, useShared } from "../reading/shared.ts";

const said = shared<readonly string[]>([], new Set());

export function Alert() {
  const all = [...new Set(useShared(said))];
  // Each alone: one that comes says nothing of those before it again.
  return (
    <div class="hidden" role="alert" aria-atomic="false">
      {all.map((words) => (
        <p key={words}>{words}</p>
      ))}
    </div>
  );
}

/** Says what the component shows, while it shows it. @param words empty: nothing */
export function useAlert(words: string): void {
  useEffect(() => {
    if (words === "") return;
    said.value = [...said.value, words];
    return () => {
      const at = said.value.indexOf(words);
      said.value = said.value.toSpliced(at, 1);
    };
  }, [words]);
}
