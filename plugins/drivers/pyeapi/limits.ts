/** The commit timer is entered in hours and minutes of a day. */
export const mostMinutes = 1_439;
