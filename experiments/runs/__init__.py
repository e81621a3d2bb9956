"""Records of runs: what ran, on what, with which result for each sample; kept in files and compared."""
