/** What must not be missed is said at once, by one region that is there before any text: others may go unheard. */
import { useEffect } from "preact/hooks";
import { shared, useShared } from "../reading/shared.ts";

const said = shared("", new Set());

export function Alert() {
  const words = useShared(said);
  return (
    <div class="hidden" role="alert">
      {words && <p>{words}</p>}
    </div>
  );
}

/** Says what the component shows, while it shows it. @param words empty: nothing */
export function useAlert(words: string): void {
  useEffect(() => {
    if (words === "") return;
    said.value = words;
    return () => {
      if (said.value === words) said.value = "";
    };
  }, [words]);
}
