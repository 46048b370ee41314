/** What a request is for: fields of a form. */
export function Purpose() {
  return (
    <>
      <label>
        label
        <input name="label" maxLength={200} />
      </label>
      <label>
        ticket
        <input name="ticket" maxLength={100} />
      </label>
    </>
  );
}
