ALTER TABLE `keys` ADD `recipes` text;--> statement-breakpoint
ALTER TABLE `roles` ADD `recipes` text;
