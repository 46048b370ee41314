/** One box to find anything: opened with `/`, worked with the arrows and Enter. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Offer, offersFor, pagesNamed } from "../reading/finds.ts";
import { useLoad } from "../reading/load.ts";
import { text } from "../text/text.ts";

/** Typing on cancels the request. */
const restMs = 150;

/** A key that is meant for a field is not for the box. */
const isField = (target: EventTarget | null) =>
  target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");

export function Find({ pages }: { pages: readonly Offer[] }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [open, setOpen] = useState(false);
  // Before the page can be seen: whoever sees it may press the key.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isField(event.target))
        return;
      event.preventDefault();
      setOpen(true);
    };
    const leave = () => setOpen(false);
    addEventListener("keydown", press);
    addEventListener("hashchange", leave);
    return () => {
      removeEventListener("keydown", press);
      removeEventListener("hashchange", leave);
    };
  }, []);
  // At once: what is typed on belongs into the box.
  useLayoutEffect(() => {
    if (open) dialog.current?.showModal();
  }, [open]);
  return (
    <>
      <button type="button" class="find" aria-keyshortcuts="/" onClick={() => setOpen(true)}>
        {text.find.title} <kbd>/</kbd>
      </button>
      {open && (
        <dialog
          ref={dialog}
          class="finder"
          aria-label={text.find.title}
          // Escape closes at once, and the event tells it later: the key may have been pressed again by then.
          onCancel={() => setOpen(false)}
          onClose={(event) => event.currentTarget.isConnected && setOpen(false)}
        >
          <Box pages={pages} leave={() => setOpen(false)} />
        </dialog>
      )}
    </>
  );
}

function Box({ pages, leave }: { pages: readonly Offer[]; leave: () => void }) {
  const [wanted, setWanted] = useState("");
  const [at, setAt] = useState(0);
  const sought = wanted.trim();
  const { data, loading } = useLoad(
    async (signal) => {
      if (sought === "") return { of: "", offers: pages };
      await new Promise((rested) => setTimeout(rested, restMs));
      signal.throwIfAborted();
      return { of: sought, offers: await offersFor(sought, pages, signal) };
    },
    [sought],
  );
  // Pages are known at once; what was found for another text is no answer to this one.
  const offers = data?.of === sought ? data.offers : pagesNamed(pages, sought);
  const chosen = Math.min(at, offers.length - 1);
  useEffect(() => document.getElementById(`offer-${chosen}`)?.scrollIntoView({ block: "nearest" }), [chosen]);
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setAt((chosen + step + offers.length) % Math.max(1, offers.length));
    } else if (event.key === "Enter" && offers[chosen]) {
      event.preventDefault();
      location.hash = offers[chosen].href;
      leave();
    }
  };
  return (
    <>
      <input
        autofocus
        role="combobox"
        aria-label={text.find.wanted}
        aria-expanded="true"
        aria-controls="offers"
        aria-activedescendant={offers.length > 0 ? `offer-${chosen}` : undefined}
        placeholder={text.find.wanted}
        spellcheck={false}
        autocomplete="off"
        value={wanted}
        onInput={(event) => {
          setWanted(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={press}
      />
      <div id="offers" role="listbox" aria-label={text.find.title} aria-busy={loading}>
        {offers.map(({ kind, name, detail, href }, index) => (
          <a
            key={`${kind} ${href}`}
            id={`offer-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            href={href}
            onClick={leave}
          >
            <span class="faint">{kind}</span> <span class="name">{name}</span>{" "}
            <span class="faint detail">{detail}</span>
          </a>
        ))}
      </div>
      <p class="faint keys" aria-hidden="true">
        {text.find.keys}
      </p>
    </>
  );
}
