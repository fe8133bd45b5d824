"""What stands under the picture: one tab a file."""
