/**
 * What must not be missed is said at once, by one region that is there before any text: others may go unheard. Its words
 * leave it soon: whoever then reads on finds them where they are shown, and not twice.
 */
import { useEffect } from "preact/hooks";
import { shared, useShared } from "../reading/shared.ts";

/** A screen reader takes what is said when it comes, and may be in the middle of a sentence. */
const heardMs = 5_000;
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

/** Says what the component shows, when it comes. @param words empty: nothing */
export function useAlert(words: string): void {
  useEffect(() => {
    if (words === "") return;
    let isSaid = true;
    said.value = [...said.value, words];
    const leave = () => {
      if (isSaid) said.value = said.value.toSpliced(said.value.indexOf(words), 1);
      isSaid = false;
    };
    const timer = setTimeout(leave, heardMs);
    return () => {
      clearTimeout(timer);
      leave();
    };
  }, [words]);
}
