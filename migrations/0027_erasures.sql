CREATE TABLE `erasures` (
	`person_id` text PRIMARY KEY NOT NULL,
	`issuer` text NOT NULL,
	`subject` text NOT NULL,
	`names` text NOT NULL,
	`step` integer NOT NULL,
	`position` integer,
	`changed` integer NOT NULL,
	`begun_at` integer NOT NULL,
	`by_id` text NOT NULL,
	`by_name` text NOT NULL
);
