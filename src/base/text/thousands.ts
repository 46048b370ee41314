/** A whole number as people read it: `10,000`. Without `Intl`, which takes some MB of a service that needs it nowhere else. */
export const thousands = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ",");
