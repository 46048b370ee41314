/**
 * Where the page and its long list are scrolled to, kept in each entry of the browser's history: one who comes back is
 * there again. The browser itself would try before the service has answered.
 */
import * as v from "valibot";

const scrolled = v.object({ page: v.number(), list: v.number() });
type Scrolled = v.InferOutput<typeof scrolled>;

/** Scrolling has ended when it rests this long. */
const restMs = 100;

/** Not there yet: rows are still to come. Also when the page is loaded anew. */
let wanted: Scrolled | undefined = kept();
let timer: ReturnType<typeof setTimeout> | undefined;
let path = pathOfPlace();

const list = () => document.querySelector(".long-list");

history.scrollRestoration = "manual";
addEventListener("popstate", () => {
  clearTimeout(timer);
  const before = path;
  path = pathOfPlace();
  // Other parameters of a view are the same view.
  wanted = kept() ?? (path === before ? undefined : { page: 0, list: 0 });
});
addEventListener(
  "scroll",
  () => {
    if (wanted !== undefined) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      const now: Scrolled = { page: scrollY, list: list()?.scrollTop ?? 0 };
      history.replaceState(now, "");
    }, restMs);
  },
  { capture: true, passive: true },
);
for (const act of ["wheel", "touchmove", "pointerdown", "keydown"])
  addEventListener(act, () => (wanted = undefined), { capture: true, passive: true });
new ResizeObserver(resume).observe(document.body);

function kept(): Scrolled | undefined {
  const read = v.safeParse(scrolled, history.state);
  return read.success ? read.output : undefined;
}

function pathOfPlace(): string | undefined {
  return location.hash.split("?")[0];
}

/** Scrolls to where the view was, as far as it is drawn. */
export function resume(): void {
  if (wanted === undefined) return;
  const box = list();
  scrollTo(0, wanted.page);
  if (box) box.scrollTop = wanted.list;
  // A scroll of this is told later, and is not one of the user.
  if (Math.abs(scrollY - wanted.page) < 1 && Math.abs((box?.scrollTop ?? 0) - wanted.list) < 1)
    setTimeout(() => (wanted = undefined));
}
