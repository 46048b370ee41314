ALTER TABLE `login_sessions` ADD `id_token` blob;
