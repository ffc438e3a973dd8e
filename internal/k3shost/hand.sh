# What a person may do with a host's mark. Set before: yes (yes: do it; else only say), and the variables of owner.sh, which precedes this.
: "${yes?}" "${owner:?}"

# Takes the mark away, whosever it is.
release() {
	whose
	if [ "$yes" = yes ]; then
		rm -f "$owner"
		if [ -d "${owner%/*}" ]; then rmdir --ignore-fail-on-non-empty "${owner%/*}"; fi
	fi
}

# Puts this cluster's mark in the place of another one. A K3s must be this cluster's by its token: an install would join it to another's.
adopt() {
	whose
	if [ "$yes" != yes ]; then return; fi
	if [ -e "$owner" ]; then mv "$owner" "$owner.before"; fi
	found=$(whose)
	case $found in
	ours | free)
		claim
		rm -f "$owner.before"
		;;
	*)
		if [ -e "$owner.before" ]; then mv "$owner.before" "$owner"; fi
		not_ours "$found"
		exit 1
		;;
	esac
}
